/**
 * Listeners, TLS, HTTP options and timers, as the configuration says. Created while the gateway
 * starts; safe on any thread afterwards.
 */
@NullMarked
package dev.weir.gateway.network;

import org.jspecify.annotations.NullMarked;
