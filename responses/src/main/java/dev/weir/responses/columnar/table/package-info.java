/**
 * Rows whose values are JSON as it came, and the columns that they come to: what is common to all
 * forms of columnar answers, the reading of it eight bytes at a time ({@link
 * dev.weir.responses.columnar.table.PackedBytes}) among it. Nothing here is shared between
 * requests.
 *
 * <pre>
 *   Rows --each--> Row --> RowSink
 *     columns ---> Columns: grow while the rows are read for the first time
 * </pre>
 */
@NullMarked
package dev.weir.responses.columnar.table;

import org.jspecify.annotations.NullMarked;
