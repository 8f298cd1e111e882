/** What the commands of the command line share, also with the admin pages that do the same. */
@NullMarked
package dev.weir.gateway.command;

import org.jspecify.annotations.NullMarked;
