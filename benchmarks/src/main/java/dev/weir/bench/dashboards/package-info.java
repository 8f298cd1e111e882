/** Measures dashboards at a gateway of the default size, beside a coordinating-only node. */
@NullMarked
package dev.weir.bench.dashboards;

import org.jspecify.annotations.NullMarked;
