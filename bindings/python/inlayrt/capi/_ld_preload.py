"""There is nothing to load ahead: the native module needs the system's libraries alone."""
