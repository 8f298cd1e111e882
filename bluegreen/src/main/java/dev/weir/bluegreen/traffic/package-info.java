/**
 * Which of several clusters a request goes to: by what it names, by the policy of its route, or by
 * a draw that keeps together what belongs together.
 */
@NullMarked
package dev.weir.bluegreen.traffic;

import org.jspecify.annotations.NullMarked;
