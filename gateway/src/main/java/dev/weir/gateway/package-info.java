/** Wires the rooms together and runs them: command line, life cycle, admin endpoint. */
@NullMarked
package dev.weir.gateway;

import org.jspecify.annotations.NullMarked;
