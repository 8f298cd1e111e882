/**
 * All that a search matches as one stream: read from a point in time in pages, side by side, no
 * faster than the client takes it. Each page is a search like a client's, by the {@code
 * ActionExecutor}, so that whatever holds for those holds for it. Confined to the request's home.
 *
 * <pre>
 *   ExportService - ExportSpec     what is asked for, and what can't be exported
 *     Export                   opens the point in time, cuts it into slices, and goes on:
 *       Slices - Slice         which page is asked for next, and how far each slice was told
 *       Page                   one search; asked again after a wait where it was refused
 *       TableStream            (columnar) rows as lines, CSV or Arrow's batches
 *       Backlog                what the client has not taken; while it is full no page is asked for
 *     Cursor                   how far the slices were told, for a client to go on from
 * </pre>
 */
@NullMarked
package dev.weir.responses.export;

import org.jspecify.annotations.NullMarked;
