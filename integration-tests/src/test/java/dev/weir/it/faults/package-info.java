/** What clients see, and what is left behind, when nodes, networks and clients misbehave. */
@NullMarked
package dev.weir.it.faults;

import org.jspecify.annotations.NullMarked;
