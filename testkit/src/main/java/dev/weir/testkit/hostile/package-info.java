/**
 * Hostile requests and connections, as data: what no client of good will sends, in any size.
 *
 * <p>Tests and benchmarks send the {@link dev.weir.testkit.hostile.HostileCorpus} with a {@link
 * dev.weir.testkit.hostile.HostileClient}, open {@link
 * dev.weir.testkit.hostile.HostileConnections}, let {@link
 * dev.weir.testkit.hostile.NeighbourSearches} search beside them, and compare the {@link
 * dev.weir.testkit.hostile.ProcessFootprint} before and after. Requests go to this machine alone.
 */
@NullMarked
package dev.weir.testkit.hostile;

import org.jspecify.annotations.NullMarked;
