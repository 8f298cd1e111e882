/**
 * The rehearsal: a start with requests, against a node that plays what a real one once answered.
 * The JVM records what it loads and compiles meanwhile, so that later starts are quick and warm.
 */
@NullMarked
package dev.weir.gateway.rehearsal;

import org.jspecify.annotations.NullMarked;
