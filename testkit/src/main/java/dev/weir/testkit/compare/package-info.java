/**
 * The differential comparer: the same requests straight to a node and through the gateway, and what
 * differs in the answers.
 *
 * <p>A {@link dev.weir.testkit.compare.CorpusReader} file has {@link
 * dev.weir.testkit.compare.ComparisonScenario scenarios} of requests; the {@link
 * dev.weir.testkit.compare.EndpointComparer} runs them against two endpoints over plain sockets,
 * masks what may differ (times, names made up by either side), and compares status, headers, the
 * parsed body with the order of its keys, and the body's bytes. One thread.
 */
@NullMarked
package dev.weir.testkit.compare;

import org.jspecify.annotations.NullMarked;
