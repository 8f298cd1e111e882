/**
 * Sends generated requests of users with different rights to a node and to the gateway in front of
 * it, and compares the responses.
 *
 * <p>{@link dev.weir.testkit.secured.compare.SecuredComparison} runs them; {@code ./weir bench
 * secured} and a short test use it. Blocking code; a comparison makes threads of its own.
 */
@NullMarked
package dev.weir.testkit.secured.compare;

import org.jspecify.annotations.NullMarked;
