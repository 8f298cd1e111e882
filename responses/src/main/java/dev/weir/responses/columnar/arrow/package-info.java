/**
 * Rows as a stream of Arrow's:
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format. Arrow's own classes
 * write the messages' heads; what they describe is written here, straight into the outputs of the
 * answer, on the heap and paid for. Arrow's vectors would keep it outside of the heap and copy it.
 *
 * <pre>
 *   rows: Gathered, Vector   validity, offsets and values of a column, each an output
 *   rows, again: Fitting     which type takes all values of a column that is not what it seemed
 *   rows, again: Gathered    its values
 *   ArrowStreamWriter              schema | dictionaries | one batch | end
 * </pre>
 */
@NullMarked
package dev.weir.responses.columnar.arrow;

import org.jspecify.annotations.NullMarked;
