/**
 * Rows with values in their original JSON bytes, and the columns that rows have in common. All
 * columnar formats build on this package, and on the eight-byte scanning of {@link
 * dev.weir.model.PackedBytes}. No object here is shared between requests.
 *
 * <pre>
 *   RowSource --each--> Row --> RowSink
 *     columns ---> Columns: grow while the rows are read for the first time
 * </pre>
 */
@NullMarked
package dev.weir.responses.columnar.table;

import org.jspecify.annotations.NullMarked;
