/**
 * Dashboards through a gateway of the default size: it refuses no panel and answers as a node does.
 */
@NullMarked
package dev.weir.it.dashboards;

import org.jspecify.annotations.NullMarked;
