/**
 * Repeats reads on another cluster after their responses and compares both responses. The client
 * neither waits for the shadow read nor sees it.
 *
 * <pre>
 *   ShadowReadFilter --sampled--> the cluster's own handler --response--> client
 *                                                              `--copy--> ShadowService
 *   ShadowService --unless skipped--> InternalExchange --> the other cluster's handler
 *     `--both responses--> ResponseComparator --verdict--> ShadowReport
 * </pre>
 *
 * <p>The shadow read runs on another event loop, the comparison on a low-priority thread.
 * docs/shadow.md describes the comparison. The number and the bytes of shadow reads in flight are
 * bounded, and zero at rest.
 */
@NullMarked
package dev.weir.bluegreen.shadow;

import org.jspecify.annotations.NullMarked;
