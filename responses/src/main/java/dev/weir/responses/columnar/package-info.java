/**
 * Answers to searches by columns instead of by hits: JSON columns, CSV, and Arrow's stream. Runs on
 * the request's home; docs/columnar.md says what an answer looks like.
 *
 * <pre>
 *   SearchResponse --HitRows, AggregationTables--> Rows --JsonColumnWriter | CsvRowWriter | arrow--> the answer
 *                      types from MappedFields
 * </pre>
 *
 * <p>Values are copied as the bytes of JSON that they are. Hits are read once; for CSV again if one
 * of them has a column that the first has not, because names stand before the rows; for Arrow again
 * if a column is not what its first value and the mapping say.
 */
@NullMarked
package dev.weir.responses.columnar;

import org.jspecify.annotations.NullMarked;
