/**
 * The admin server: health, metrics, statistics, the effective configuration, and the live page.
 * Pages run on virtual threads, apart from the event loops that serve clients.
 */
@NullMarked
package dev.weir.gateway.admin;

import org.jspecify.annotations.NullMarked;
