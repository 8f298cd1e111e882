/**
 * Rate limits that delay a request first and reject it only when the delay would be too long. Pure
 * decisions that never block. Enter by {@link dev.weir.admission.pace.RequestPacer}.
 *
 * <pre>
 *   RequestPacer           the rules in force
 *     ActivePacingRule     one rule: matching, buckets, counters
 *       KeyBucketsCache    the rule's buckets by key, bounded
 *         KeyBuckets       one key: a bucket of requests and one of bytes
 *   PacedRequest           one request: takes from all its buckets, or from none
 *     TokenReservation     what it takes under one rule
 * </pre>
 */
@NullMarked
package dev.weir.admission.pace;

import org.jspecify.annotations.NullMarked;
