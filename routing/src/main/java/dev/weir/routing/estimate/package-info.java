/**
 * What is learned of one node from its answers: small estimators, without clock or randomness of
 * their own. Mutable ones are confined by their user.
 */
@NullMarked
package dev.weir.routing.estimate;

import org.jspecify.annotations.NullMarked;
