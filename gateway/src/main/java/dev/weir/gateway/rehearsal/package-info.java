/**
 * The rehearsal: starts a gateway and sends requests to it, against a node that replays recorded
 * responses. The JVM records the classes and methods that it loads and compiles, so that later
 * starts are fast and warm. Runs at build time, on its own threads.
 */
@NullMarked
package dev.weir.gateway.rehearsal;

import org.jspecify.annotations.NullMarked;
