/**
 * Mutated real requests, straight to a node and through a gateway: both must answer with a status
 * of the same class. One seed determines every request.
 */
@NullMarked
package dev.weir.testkit.mutation;

import org.jspecify.annotations.NullMarked;
