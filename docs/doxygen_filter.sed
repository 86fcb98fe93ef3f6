# The headers' comments are plain; this makes them what Doxygen reads.
s|^( *)//( [^<>])|\1///\2|
s|([;{},]) +// |\1 ///< |
\|///|s|#|\\#|g
s|inlay::inline v1|inlay|
1s|^/\* |/** \\file\n * |
s|^/\* ([^-*])|/** \1|
s|([;{},]) +/\* |\1 /**< |
