/**
 * The door for operators: health, metrics, stats, the effective configuration, why requests go
 * where they go. Pages run on virtual threads, apart from the event loops that serve clients.
 */
@NullMarked
package dev.weir.gateway.admin;

import org.jspecify.annotations.NullMarked;
