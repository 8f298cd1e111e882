/** What is shipped: the package, and what watches the gateways that run from it. */
@NullMarked
package dev.weir.it.deploy;

import org.jspecify.annotations.NullMarked;
