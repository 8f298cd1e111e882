/**
 * Real data nodes as child processes, for tests, benchmarks and the demo.
 *
 * <p>{@link dev.weir.testkit.DataNodeCluster} starts a cluster, {@link dev.weir.testkit.DataNode}
 * is one node that can be stopped, killed, frozen, slowed and restarted, {@link
 * dev.weir.testkit.SharedCluster} is the one cluster that all tests of a JVM may share. Blocking
 * code for test threads and command lines.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
