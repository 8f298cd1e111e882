/**
 * What the slowness, the pauses and the failures of one data node of three do to the clients of
 * each path into the cluster, measured on real nodes beside an oracle that avoids that node.
 */
@NullMarked
package dev.weir.bench.hotnode;

import org.jspecify.annotations.NullMarked;
