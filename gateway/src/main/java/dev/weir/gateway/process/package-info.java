/**
 * What the gateway shares with its operating system: signals, systemd, and the version of its jar.
 * Called while the process starts and stops.
 */
@NullMarked
package dev.weir.gateway.process;

import org.jspecify.annotations.NullMarked;
