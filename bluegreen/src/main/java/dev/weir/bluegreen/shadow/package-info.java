/**
 * Repeats reads on another cluster after their responses and compares both responses. The client
 * neither waits for the shadow read nor sees it.
 *
 * <pre>
 *   ShadowReadFilter --sampled--> the cluster's own handler --answer--> client
 *                                                            `--copy--> ShadowService: skipped, or
 *   the other cluster's handler <--InternalExchange------------------------'  on another event loop
 *        `--answer--> ResponseComparator --Verdict--> ShadowReport     on a thread of low priority
 * </pre>
 *
 * <p>docs/shadow.md describes the comparison. The number and the bytes of shadow reads in flight
 * are bounded, and zero at rest.
 */
@NullMarked
package dev.weir.bluegreen.shadow;

import org.jspecify.annotations.NullMarked;
