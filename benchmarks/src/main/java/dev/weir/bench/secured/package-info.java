/** Measures the gateway in front of a cluster with the security plugin and TLS. */
@NullMarked
package dev.weir.bench.secured;

import org.jspecify.annotations.NullMarked;
