/**
 * Reads that were answered are repeated on another cluster, and both answers compared; the client
 * never waits for it, and hears nothing of it.
 *
 * <pre>
 *   Shadowing --chosen--> the cluster's own handler --answer--> client
 *                                                    `--copy--> ShadowService: shed, or
 *   the other cluster's handler <--InternalExchange-----------------'   on another event loop
 *        `--answer--> ResponseComparator --Verdict--> ShadowReport     on a thread of low priority
 * </pre>
 *
 * <p>docs/shadow.md says what is compared. What is under way is bounded by number and by bytes, and
 * zero at rest.
 */
@NullMarked
package dev.weir.bluegreen.shadow;

import org.jspecify.annotations.NullMarked;
