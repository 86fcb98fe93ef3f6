"""Nothing to load ahead: the native module needs only the system's libraries."""
