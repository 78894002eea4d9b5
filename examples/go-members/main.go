// One OrgMember per person. Edit the list; `pulumi preview` shows whom it adds and removes.
package main

import (
	"github.com/orgseat/orgseat/sdk/go/orgseat"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

var people = []struct {
	name  string // does not change with the email
	email string
	seat  bool // a paid seat, which a token requires
}{
	{"ada", "ada@acme.example", true},
	{"grace", "grace@acme.example", true},
	{"margaret", "margaret@acme.example", false},
}

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		members, tokens := pulumi.Map{}, pulumi.Map{}
		for _, person := range people {
			args := &orgseat.OrgMemberArgs{Email: pulumi.String(person.email), Seat: pulumi.Bool(person.seat)}
			if person.seat {
				args.Token = &orgseat.MemberTokenOptionsArgs{}
			}
			member, err := orgseat.NewOrgMember(ctx, person.name, args)
			if err != nil {
				return err
			}
			members[person.name] = member.UserId
			if person.seat {
				tokens[person.name] = member.TokenValue
			}
		}
		ctx.Export("members", members)
		ctx.Export("tokens", tokens)
		return nil
	})
}
