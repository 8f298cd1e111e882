/**
 * Hits as they lie in the reply frames of data nodes, and how they are written as JSON without
 * building OpenSearch's objects.
 *
 * <p>All formats read the same hits, {@link dev.weir.model.HitView}. What differs, and why:
 *
 * <ul>
 *   <li>{@link FrameHitPage} and {@link MaterializedHits} are the two places that hits are in; a
 *       view that hid the difference would copy ids and documents out of the objects.
 *   <li>{@link PlainHitWriter} and the writer of trimmed hits share scores, sort values and bodies,
 *       but not the members' order and commas: plain hits are written as a few fixed pieces, and a
 *       test for each member would be paid by every search.
 *   <li>{@code responses.columnar} reads hits in place, and as OpenSearch's objects whatever has
 *       more than a plain hit: fields, versions, matched queries. A third form between the two
 *       would be built for each hit only to be read once.
 * </ul>
 *
 * <p>Used on the request's event loop; each writer is used by one thread.
 */
@NullMarked
package dev.weir.core.reduce.hits;

import org.jspecify.annotations.NullMarked;
