/** Decides whether the gateway should get requests. */
@NullMarked
package dev.weir.gateway.readiness;

import org.jspecify.annotations.NullMarked;
