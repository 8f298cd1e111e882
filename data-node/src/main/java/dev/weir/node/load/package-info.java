/**
 * The load of this node, reported with each response to a gateway that asks for it: the tasks of
 * the pool that did the work, how long such work takes, and how the process is.
 *
 * <p>A gateway asks by a transport header that names the node. {@link
 * dev.weir.node.load.LoadReportInterceptor} wraps the handlers of shard requests: it measures how
 * long the work takes, and adds one response header when the response to such a request is written.
 * Other requests are measured and answered as without the plugin.
 */
@NullMarked
package dev.weir.node.load;

import org.jspecify.annotations.NullMarked;
