/** The shipped files: the package, and the monitoring of gateways that run from it. */
@NullMarked
package dev.weir.it.deploy;

import org.jspecify.annotations.NullMarked;
