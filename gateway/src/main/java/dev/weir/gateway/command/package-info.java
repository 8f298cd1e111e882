/** What the commands of the command line share. */
@NullMarked
package dev.weir.gateway.command;

import org.jspecify.annotations.NullMarked;
