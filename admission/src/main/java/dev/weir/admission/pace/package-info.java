/**
 * How fast requests may come: smooth limits that hold a request back first and refuse it only when
 * that would take too long. Pure decisions that never block; {@link
 * dev.weir.admission.pace.RequestPacer} is the door.
 *
 * <pre>
 *   Pacer          the rules in force; which of them a request matches
 *     ActivePacingRule    one rule: whom it matches, its accounts, what it did
 *       Accounts   an account a key, in bounds
 *         Account  what one key may still send: a bucket of requests, one of bytes
 *   Turn           one request: takes from all its accounts, or from none
 *     Claim          what it takes by one rule
 * </pre>
 */
@NullMarked
package dev.weir.admission.pace;

import org.jspecify.annotations.NullMarked;
