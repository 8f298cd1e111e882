/**
 * Answers to searches by columns instead of by hits: JSON columns, CSV, and Arrow's stream. Runs on
 * the request's home; docs/columnar.md says what an answer looks like.
 *
 * <pre>
 *   SearchResponse --HitRows, AggregationTables--> Rows --JsonColumns | CsvRows | arrow--> the answer
 *                      types from MappedFields
 * </pre>
 *
 * <p>Values are copied as the bytes of JSON that they are. JSON columns are written while hits are
 * read once; the others are read twice, because the columns stand before the rows.
 */
@NullMarked
package dev.weir.gateway.columnar;

import org.jspecify.annotations.NullMarked;
