// Commands and their options: the tool's view of CLI11, which only command_line.cpp includes. Its inline functions
// would cost every source of a command three seconds to compile.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace inlay::tool {
// An option that was added to a command, to say more about it: c.add_option(...).range(1, 9).type_name("N"). Refers to
// the command's.
class option {
  public:
    explicit option(CLI::Option* o) : in_cli11(o) {}
    option required();
    option type_name(const std::string&);      // of its values, in the help
    option capture_default_str();              // the help shows the value that the variable has now
    option delimiter(char);                    // the separator of list values in one word
    option one_value_each();                   // a list has one word after each mention of the option, not all
    option needs(const std::string& name);     // name: an option that the command already has, such as --out
    option excludes(const std::string& name);  // the same
    option range(int least, int most);         // both included; else the command line is refused, as with those below
    option range(double least, double most);
    option non_negative();
    option hidden();                                           // from help and completion
    option member_of(const std::vector<std::string>& values);  // the help and completion show them

  private:
    CLI::Option* in_cli11;
};

struct listed_option {
    std::vector<std::string> long_names, short_names;  // without dashes
    std::string type_name;                             // with the values of member_of: FORMAT:{npy,pb}; of a flag empty
    bool positional;
    std::string about;
};

// A command, or the program itself, whose commands are those below it. Refers to what the program owns. Variables of
// options are written when the command line is read, and must live until then.
class command {
  public:
    explicit command(CLI::App* a) : in_cli11(a) {}
    command add_command(const std::string& name, const std::string& about);
    // names: --out,-o, or without a dash for arguments by position.
    option add_option(const std::string& names, std::string&, const std::string& about);
    option add_option(const std::string& names, int&, const std::string& about);
    option add_option(const std::string& names, double&, const std::string& about);
    option add_option(const std::string& names, std::uint64_t&, const std::string& about);
    option add_option(const std::string& names, std::optional<int>&, const std::string& about);
    option add_option(const std::string& names, std::optional<double>&, const std::string& about);
    option add_option(const std::string& names, std::vector<std::string>&, const std::string& about);
    option add_option(const std::string& names, std::vector<int>&, const std::string& about);
    option add_flag(const std::string& names, bool&, const std::string& about);
    void on_choice(std::function<void()>);  // to be called when a command line that names this command was read
    void footer(const std::string& end_of_help);
    std::string footer() const;
    std::string name() const;
    std::string about() const;
    std::vector<command> commands() const;
    std::vector<listed_option> options() const;

  protected:
    CLI::App* in_cli11;
};

class program : public command {
  public:
    program(const std::string& name, const std::string& about, const std::string& version);
    // Writes the options' variables and calls on_choice of the command that is named. Returns the exit status if the
    // help or the version was requested, and is printed. Throws bad usage.
    std::optional<int> parse(int count, const char* const* words);

  private:
    explicit program(std::shared_ptr<CLI::App>);
    std::shared_ptr<CLI::App> owned;
};

std::string_view cli11_version();
}  // namespace inlay::tool
