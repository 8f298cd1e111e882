/**
 * Sends all matches of a search as one stream. An export reads a point in time in concurrent pages,
 * no faster than the client reads the response. Each page is an ordinary search through the {@code
 * ActionExecutor}, under the same limits. Confined to the request's event loop.
 *
 * <pre>
 *   ExportService - ExportSpec     the request's options, and what cannot be exported
 *     ExportSession                opens the point in time, splits it into slices, requests pages
 *       SliceQueue - ExportSlice   the slice to read next, and the progress of each slice
 *       PageSearch                 one search, retried after a rejection
 *       TableStream                (columnar) rows as lines, CSV or Arrow batches
 *       ExportBodySource           parts not yet sent; while it is full, no page is requested
 *     ExportCursor                 the progress of all slices, for a client that resumes
 * </pre>
 */
@NullMarked
package dev.weir.responses.export;

import org.jspecify.annotations.NullMarked;
