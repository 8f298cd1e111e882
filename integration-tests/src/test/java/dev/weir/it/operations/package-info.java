/** A gateway as its operators see it: its configuration changes, another takes its place. */
@NullMarked
package dev.weir.it.operations;

import org.jspecify.annotations.NullMarked;
