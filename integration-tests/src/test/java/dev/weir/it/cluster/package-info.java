/** Following real clusters without joining them, through faults, and against a node's answers. */
@NullMarked
package dev.weir.it.cluster;

import org.jspecify.annotations.NullMarked;
