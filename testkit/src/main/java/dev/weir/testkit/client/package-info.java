/** Clients of the gateway, in memory, for unit tests. */
@NullMarked
package dev.weir.testkit.client;

import org.jspecify.annotations.NullMarked;
