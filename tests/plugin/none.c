/* A library that is no plugin. */
int nothing_of_a_plugin = 0;
