# Doxygen does not know the tags that choose a picture by the reader's theme; the light one is left.
/<\/?picture>|<source /d
