/**
 * Selects one of several clusters for a request: by an id in the request, by the policy of its
 * route, or by a weighted draw that keeps related requests together.
 */
@NullMarked
package dev.weir.bluegreen.traffic;

import org.jspecify.annotations.NullMarked;
