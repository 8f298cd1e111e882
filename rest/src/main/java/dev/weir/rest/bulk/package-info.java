/**
 * Reads the bodies of bulks: finds the lines of items, parses them without decoding documents, and
 * splits the body of a streaming bulk into sections of whole items. Confined to the thread that
 * reads one bulk.
 */
@NullMarked
package dev.weir.rest.bulk;

import org.jspecify.annotations.NullMarked;
