//! Real guests in real cages: what tools can do, what attacks can't, and what is left when a process dies.

mod corpus;
mod crashes;
mod hostile;
mod sdk;
mod stage;
mod time;
