/**
 * A gateway from its operators' view: its configuration changes, and another process replaces it.
 */
@NullMarked
package dev.weir.it.operations;

import org.jspecify.annotations.NullMarked;
