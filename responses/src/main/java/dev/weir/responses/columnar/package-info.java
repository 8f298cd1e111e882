/**
 * Writes search responses as columns instead of hits: JSON columns, CSV, and Arrow's stream. Runs
 * on the request's event loop; docs/columnar.md describes the formats.
 *
 * <pre>
 * SearchResponse --HitRows, AggregationRows--> Rows --JsonColumnWriter, CsvRowWriter, arrow--> body
 *                    types from MappedFields
 * </pre>
 *
 * <p>Values are copied as JSON bytes. Hits are read once, with two exceptions. CSV reads them again
 * if a later hit adds a column, because the names come before the rows. Arrow reads them again if a
 * value does not fit the type that the mapping and the first value suggest.
 */
@NullMarked
package dev.weir.responses.columnar;

import org.jspecify.annotations.NullMarked;
