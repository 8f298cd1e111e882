/**
 * Writes rows as an Arrow IPC stream:
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format. Arrow's own classes
 * encode the messages' metadata. This package writes the buffers itself, directly into the outputs
 * of the response, which are on the heap and accounted; Arrow's vectors would hold them outside of
 * the heap and copy them. Runs on the request's event loop.
 *
 * <pre>
 *   rows: ColumnCollector, ColumnVector   validity, offsets and values of a column, each an output
 *         ObjectShape                     the members of a column's objects
 *   rows again: ColumnTypeDetector        the type that fits all values of a misjudged column
 *   rows again: ColumnCollector           its values, or objects, whose members are known now
 *   ArrowStreamWriter                     schema | dictionaries | one batch | end
 * </pre>
 */
@NullMarked
package dev.weir.responses.columnar.arrow;

import org.jspecify.annotations.NullMarked;
