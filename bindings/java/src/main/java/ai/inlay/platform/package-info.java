/** Conversions of elements. */
package ai.inlay.platform;
