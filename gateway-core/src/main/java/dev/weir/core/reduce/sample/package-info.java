/**
 * Estimates what all shards of a search would answer from what some of them did: which shards are
 * asked, what searches can be estimated, and how far the truth may be off. Called by the rooms
 * around it; what it computes it computes on the caller's thread.
 */
@NullMarked
package dev.weir.core.reduce.sample;

import org.jspecify.annotations.NullMarked;
